/**
 * Writes small ONNX graphs without a package: the protocol buffers of
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto by field number.
 */

/** The element types used here, by their number in TensorProto.DataType. */
const ELEMENT = { float: 1, int64: 7, bool: 9 } as const;
type Element = keyof typeof ELEMENT;

/** The operator set of the graphs, and its file version. */
const OPSET = 17;
const IR_VERSION = 8;

/** A named constant of a graph; a scalar has no dimensions. */
export interface Constant {
  readonly name: string;
  readonly dims: readonly number[];
  readonly values: Float32Array | BigInt64Array | readonly boolean[];
}

/** An attribute: a whole number, several, or a graph (the body of a loop). */
type Attribute = number | readonly number[] | Graph;

/** One operation. */
export interface GraphNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

/** An input or output: name, type and shape, in which a name stands for a variable length. */
export interface Value {
  readonly name: string;
  readonly type: Element;
  readonly shape: readonly (number | string)[];
}

/** A graph of operations, in the order in which they can run. */
export interface Graph {
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  readonly constants: readonly Constant[];
  readonly nodes: readonly GraphNode[];
}

/** Encodes the graph as an .onnx file. */
export function encodeModel(graph: Graph): Buffer {
  return message([
    number(1, IR_VERSION),
    text(2, 'errata'),
    nested(7, encodeGraph(graph)),
    nested(8, message([text(1, ''), number(2, OPSET)])),
  ]);
}

function encodeGraph({ inputs, outputs, constants, nodes }: Graph): Buffer {
  return message([
    ...nodes.map((node) => nested(1, encodeNode(node))),
    text(2, 'graph'),
    ...constants.map((constant) => nested(5, encodeConstant(constant))),
    ...inputs.map((value) => nested(11, encodeValue(value))),
    ...outputs.map((value) => nested(12, encodeValue(value))),
  ]);
}

function encodeNode({ op, inputs, outputs, attributes = {} }: GraphNode): Buffer {
  return message([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => nested(5, encodeAttribute(name, value))),
  ]);
}

function encodeAttribute(name: string, value: Attribute): Buffer {
  const INT = 2;
  const GRAPH = 5;
  const INTS = 7;
  if (typeof value === 'number') return message([text(1, name), number(3, value), number(20, INT)]);
  if ('nodes' in value) return message([text(1, name), nested(6, encodeGraph(value)), number(20, GRAPH)]);
  return message([text(1, name), ...value.map((one) => number(8, one)), number(20, INTS)]);
}

function encodeConstant({ name, dims, values }: Constant): Buffer {
  const type = values instanceof Float32Array ? 'float' : values instanceof BigInt64Array ? 'int64' : 'bool';
  const bytes = ArrayBuffer.isView(values)
    ? Buffer.from(values.buffer, values.byteOffset, values.byteLength)
    : Buffer.from(values.map(Number));
  return message([...dims.map((dim) => number(1, dim)), number(2, ELEMENT[type]), text(8, name), nested(9, bytes)]);
}

function encodeValue({ name, type, shape }: Value): Buffer {
  const dims = shape.map((dim) => nested(1, typeof dim === 'number' ? number(1, dim) : text(2, dim)));
  const tensor = message([number(1, ELEMENT[type]), nested(2, message(dims))]);
  return message([text(1, name), nested(2, nested(1, tensor))]);
}

function message(fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function text(field: number, value: string): Buffer {
  return nested(field, Buffer.from(value));
}

function nested(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

/** Seven bits per byte, lowest first; for numbers from 0 on. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 128 : low);
  } while (rest > 0);
  return Buffer.from(bytes);
}
