// The caller's rights are part of every statement: a caller without them gets no row.
const CALLER =
  'session s join user_account c on c.id = s.user_id where s.id = $1 and s.expires_at > now() and c.id = $2 and c.is_active';
const MAY_LIST = `${CALLER} and c.groups && '{Leader,Guest}'`;

const ITEM = `u.id, u.username, u.email, u.first_name, u.last_name, u.division_id, u.groups, u.birthdate, u.is_active,
  u.is_staff, u.is_superuser, u.date_joined`;

// Every row meets it; whoever says so is given the index that has all of these columns.
const LISTED = `and u.username >= ''`;

// A caller whose list is empty gets one row of nulls.
const list = (name: string, columns: string, conditions: string, order: string) => ({
  name,
  rowMode: 'array' as const,
  text: `select d.name, u.* from (select c.division_id from ${MAY_LIST}) c join division d on d.id = c.division_id
    left join lateral (select ${columns} from user_account u where u.division_id = c.division_id ${conditions}
      order by ${order} limit 51) u on true`,
});

/** The statements of all kinds of requests. The first parameters are session and caller. */
export const statements = {
  read: {
    name: 'read',
    rowMode: 'array' as const,
    text: `select u.id, u.username, u.birthdate, u.division_id, d.name, u.version, d.name_version
      from (select c.id, c.division_id, c.groups from ${CALLER}) c join user_account u on u.id = $3 join division d on d.id = u.division_id
      where u.id = c.id or (u.division_id = c.division_id and c.groups && '{Leader,Guest}')`,
  },
  list: list('list', ITEM, LISTED, 'u.date_joined, u.id'),
  listAfter: list('list-after', ITEM, `${LISTED} and (u.date_joined, u.id) > ($3, $4)`, 'u.date_joined, u.id'),
  filter: list(
    'filter',
    ITEM,
    `and u.groups && $3::member_group[] and u.is_active = $4 and u.birthdate >= $5`,
    'u.last_name_key desc, u.id desc',
  ),
  search: list('search', ITEM, 'and u.search like all($3::text[])', 'u.date_joined, u.id'),
  divisionUsers: {
    name: 'division-users',
    rowMode: 'array' as const,
    text: `select u.id, u.username from (select c.division_id from ${MAY_LIST}) c
      left join lateral (select u.id, u.username from user_account u where u.division_id = c.division_id and u.division_id = $3
        order by u.username_key, u.id limit 51) u on true`,
  },
  change: {
    name: 'change',
    rowMode: 'array' as const,
    text: `with caller as (
        select c.id, c.username, c.division_id, c.groups from ${CALLER} for share of c
      ), before as (
        select u.id, u.first_name from user_account u join caller c
          on u.id = c.id or (u.division_id = c.division_id and c.groups @> '{Leader}') where u.id = $3 for no key update of u
      ), after as (
        update user_account u set first_name = $4, first_name_key = $5, version = u.version + 1
        from before b where u.id = b.id returning ${ITEM}, u.version
      ), audited as (
        insert into audit_entry (id, at, action, author_id, author_name, request_id, target_type, target_id, division_id, changes)
        select $6, now(), 'updateUser', c.id, c.username, $7, 'user', u.id, u.division_id,
          json_build_object('firstName', json_build_object('old', b.first_name, 'new', u.first_name))
        from caller c, before b, after u
      )
      select d.name, ${ITEM}, u.version, d.name_version from after u join division d on d.id = u.division_id`,
  },
  create: {
    name: 'create',
    rowMode: 'array' as const,
    text: `with caller as (
        select c.id, c.username, c.division_id from ${CALLER} and c.groups @> '{Leader}' for share of c
      ), u as (
        insert into user_account as u (id, username, username_key, first_name, first_name_key, last_name, last_name_key, division_id,
          groups, is_active, is_staff, is_superuser, date_joined, password_hash)
        select $3, $4, $5, '', '', '', '', c.division_id, '{User}', true, false, false, now(), $6 from caller c
        returning ${ITEM}
      ), audited as (
        insert into audit_entry (id, at, action, author_id, author_name, request_id, target_type, target_id, division_id, changes)
        select $7, now(), 'createUser', c.id, c.username, $8, 'user', u.id, u.division_id,
          json_build_object('username', json_build_object('old', null, 'new', u.username),
            'groups', json_build_object('old', null, 'new', u.groups), 'isActive', json_build_object('old', null, 'new', true),
            'isStaff', json_build_object('old', null, 'new', false), 'isSuperuser', json_build_object('old', null, 'new', false),
            'password', json_build_object('old', null, 'new', 'changed'))
        from caller c, u
      )
      select d.name, ${ITEM} from u join division d on d.id = u.division_id`,
  },
  credentials: {
    name: 'credentials',
    rowMode: 'array' as const,
    text: `select u.id, u.username, u.division_id, u.groups, u.is_staff, u.is_superuser, u.password_hash from user_account u
      where u.username_key = $1 and u.is_active`,
  },
  startSession: {
    name: 'start-session',
    rowMode: 'array' as const,
    text: `with checked as (select id from user_account where id = $2 and is_active and password_hash = $3 for share),
      started as (insert into session (id, user_id, started_at, expires_at)
        select $1, id, now(), now() + interval '14 days' from checked returning id, expires_at)
      insert into refresh_token (digest, session_id, expires_at) select $4, id, expires_at from started returning session_id`,
  },
};
