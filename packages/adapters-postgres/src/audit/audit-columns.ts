/** The columns of an audit entry, in the order in which they are written and read. */
export const AUDIT_COLUMNS = [
  'id',
  'at',
  'action',
  'author_id',
  'author_name',
  'request_id',
  'target_type',
  'target_id',
  'division_id',
  'changes',
] as const;
