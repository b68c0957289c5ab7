import { makeExplain, onDivision, rules } from '@chapter/domain';

/** Who may do what with the events of a division. */
const policy = {
  readEvent: onDivision(rules.divisionMember),
  createEvent: onDivision(rules.leader),
  cancelEvent: onDivision(rules.leader),
};

/** Decides by this service's own policy, and says which rule decided. */
export const explain = makeExplain(policy);
