import { NO_TARGET } from '@chapter/domain/ports';
import { expect } from 'chai';
import { query } from '../../../../test-support/query.ts';
import { ABSENT_ID, useOperator, withMembers } from './operator.ts';

describe('chapter audit', () => {
  const { chapter, fault, json, url } = useOperator(withMembers);

  it('prints the audit trail, newest first, without passwords', async () => {
    const entries = await json<Record<string, unknown>[]>('audit');
    expect(entries.map(({ action }) => action)).to.deep.equal([
      'updateUser',
      'updateUser',
      'createUser',
      'createUser',
      'createDivision',
      'createDivision',
    ]);
    expect(entries[0]).to.deep.include({
      author_name: 'operator',
      author_id: null,
      target_type: 'user',
      changes: {
        is_active: { old: true, new: false },
        is_staff: { old: true, new: false },
        password: { old: null, new: 'changed' },
      },
    });
    expect(JSON.stringify(entries)).not.to.include('secret');
    expect((await chapter('audit --user gus --limit 1')).out).to.match(
      /  the operator +updateUser +user gus \S+ +.*is_active: yes → no; .*password: – → changed\n$/,
    );
    expect(await json('audit --since 2999-01-01')).to.deep.equal([]);
    expect(await json(`audit --division ${ABSENT_ID}`)).to.deep.equal([]);
    expect(await json('audit --division south')).to.have.length(1);
    expect(await fault('audit --division nort')).to.equal('There is no division with the name or id nort.\n');
    expect(await json(`audit --user ${ABSENT_ID}`)).to.deep.equal([]);
    expect(await fault('audit --user unknown')).to.include('no user with the name or id unknown');
  });

  it('prints fifty entries or as many as given, and says on standard error that there are older ones', async () => {
    await query(
      url(),
      `insert into audit_entry (id, at, action, author_name, target_type, target_id, division_id, changes)
        select gen_random_uuid(), now(), 'pruneAudit', 'many', 'audit', '${NO_TARGET}', '${NO_TARGET}', '{}' from generate_series(1, 45)`,
    );
    for (const [args, entries] of [
      ['', 50],
      [' --limit 49', 49],
    ] as const) {
      const { err, out } = await chapter(`audit${args}`);
      expect(out.trimEnd().split('\n')).to.have.length(1 + entries);
      expect(err).to.equal(
        'There are older entries. Print more with --limit (at most 100000), or choose a period with --since and --until.\n',
      );
    }
    expect(await json('audit --limit 51')).to.have.length(51);
    expect(await json('audit --action createUser')).to.have.length(2);
    await query(url(), `delete from audit_entry where author_name = 'many'`);
  });

  it('prints the entries of an action before a time, as CSV', async () => {
    const { out } = await chapter('audit --action createDivision --until 2999-01-01 --format csv');
    expect(out.split('\r\n').map((line) => line.replaceAll(/\d{4}-\S+?Z|[0-9a-f-]{36}/g, '…'))).to.deep.equal([
      'at,by,action,target,changes',
      '…,the operator,createDivision,division North …,name: – → North',
      '…,the operator,createDivision,division South …,name: – → South',
      '',
    ]);
    expect(await json('audit --until 2000-01-01')).to.deep.equal([]);
  });
});
