import { makeExplain, makeScope, onDivision, rules } from '@chapter/domain';

/** Who may do what with the events of a division. */
const policy = {
  readEvent: onDivision(rules.divisionMember),
  createEvent: onDivision(rules.leader),
  cancelEvent: onDivision(rules.leader),
};

/** Decides by this service's own policy, and says which rule decided. */
export const explain = makeExplain(policy);

/** Returns the divisions whose events a caller may read, so that a list can be selected instead of checked row by row. */
export const scope = makeScope(policy);
