import { Type } from 'typebox';

const MAX_EVALUATIONS = 100;

/** An object that decisions do not read: they depend on what is stored alone. */
const Ignored = Type.Optional(Type.Object({}));

const EntityType = Type.Object({ type: Type.String(), properties: Ignored });
const Entity = Type.Object({ type: Type.String(), id: Type.String(), properties: Ignored });
const NamedAction = Type.Object({ name: Type.String(), properties: Ignored });

const SearchPage = Type.Optional(
  Type.Object({ token: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer({ minimum: 0 })) }),
);

/** May a subject perform an action on a resource? AuthZEN 1.0, section 6.1. */
export const Evaluation = Type.Object({ subject: Entity, action: NamedAction, resource: Entity, context: Ignored });

/** Several evaluations, whose members have defaults. AuthZEN 1.0, section 7.1. */
export const Evaluations = Type.Object({
  subject: Ignored,
  action: Ignored,
  resource: Ignored,
  context: Ignored,
  options: Type.Optional(
    Type.Object({
      evaluations_semantic: Type.Optional(
        Type.Enum(['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const),
      ),
    }),
  ),
  evaluations: Type.Optional(Type.Array(Type.Unknown(), { maxItems: MAX_EVALUATIONS })),
});

const search = { context: Ignored, page: SearchPage };

/** AuthZEN 1.0, section 8.4. */
export const SubjectSearch = Type.Object({ subject: EntityType, action: NamedAction, resource: Entity, ...search });

/** AuthZEN 1.0, section 8.5. */
export const ResourceSearch = Type.Object({ subject: Entity, action: NamedAction, resource: EntityType, ...search });

/** AuthZEN 1.0, section 8.6. */
export const ActionSearch = Type.Object({ subject: Entity, resource: Entity, ...search });
