import { useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { goInstead, href, hrefWith, type Route } from '../app/router.js';
import { useRights } from '../app/session.js';
import { ClassReport as ClassReportOf, type StudentGroupInput, StudentGroups } from '../generated/operations.js';
import { Select } from '../ui/fields.js';
import { Empty, QueryState } from '../ui/notices.js';
import { ClassReport } from './class-report.js';
import { GroupDialog } from './group-dialog.js';
import { TimeSelect, useLastDays } from './time-select.js';

export function ClassPage({ route }: { route: Route }) {
  const { t } = useWording();
  const { write } = useRights();
  const groups = useQuery(StudentGroups, {});
  const [editing, setEditing] = useState<'new' | 'old' | null>(null);
  const [days, from] = useLastDays(route, 28);
  const list = groups.data?.studentGroups ?? [];
  const group = list.find(({ name }) => name === route.params.get('group')) ?? list[0];
  const choose = (name: string | null): void => goInstead(hrefWith('class', { group: name }, route.params));
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.class')}</h1>
        {list.length > 0 && (
          <Select
            label={t('class.group')}
            value={group?.name}
            values={list.map(({ name }) => name)}
            onChange={choose}
          />
        )}
        {list.length > 0 && <TimeSelect route={route} value={days} />}
        {write && group !== undefined && (
          <button type="button" onClick={() => setEditing('old')}>
            {t('group.edit')}
          </button>
        )}
        {/* Not before the groups: their list and button would move it from under the pointer. */}
        {write && groups.data !== null && (
          <button type="button" onClick={() => setEditing('new')}>
            {t('group.new')}
          </button>
        )}
      </div>
      <QueryState query={groups} />
      {groups.data !== null && group === undefined && (
        <Empty title={t('class.noGroup')} about={t('class.noGroup.about')} />
      )}
      {/* The key: while the report of the next group loads, that of the last one is not shown under the new name. */}
      {group !== undefined && <Report key={JSON.stringify(group)} group={group} from={from} />}
      {editing !== null && (
        <GroupDialog
          group={editing === 'old' ? (group ?? null) : null}
          names={list.map(({ name }) => name)}
          onClose={() => setEditing(null)}
          onSaved={(name) => {
            setEditing(null);
            // The page may have been left before the answer.
            if (location.hash.startsWith(href('class'))) choose(name);
            groups.reload();
          }}
        />
      )}
    </div>
  );
}

function Report({ group, from }: { group: StudentGroupInput; from: string | null }) {
  const query = useQuery(ClassReportOf, { group: group.name, from });
  return (
    <>
      <QueryState query={query} />
      {query.data !== null && <ClassReport report={query.data.classOverview} size={group.owners.length} />}
    </>
  );
}
