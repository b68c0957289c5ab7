import { readFileSync } from 'node:fs';
import { ForbiddenError } from '@casl/ability';
import { permittedFieldsOf, rulesToCondition } from '@casl/ability/extra';
import {
  type EntityJson,
  isAuthorizedPartial,
  preparsePolicySet,
  preparseSchema,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs';
import { type Actor, makeActor, makeCan, type TargetOfType } from '@chapter/domain';
import {
  type album,
  albumPolicy,
  explain,
  scope,
  writableFields,
} from '../../packages/domain/test/library/album-policy.ts';
import { abilityFor } from './album.casl.ts';

type Album = TargetOfType<typeof album>;

/** An action of the album policy. */
export type AlbumAction = keyof typeof albumPolicy;

/** The album policy in one language, with the questions that the comparison asks. */
export interface PolicyLanguage {
  /** The files of the policy. */
  readonly files: readonly string[];
  /** Prepares decisions for an actor, as a program does once per request. */
  readonly decideFor: (actor: Actor) => (action: AlbumAction, target: Album) => boolean;
  /** Returns the fields that the actor may write, sorted. */
  readonly writableFields: (actor: Actor, target: Album) => readonly string[];
  /** Returns what a program can tell a caller who was denied. */
  readonly denial: (actor: Actor, action: AlbumAction, target: Album) => string;
  /** Returns the albums that the actor may list, as the language describes them. */
  readonly list: (actor: Actor) => object | string;
}

const can = makeCan(albumPolicy);

const here: PolicyLanguage = {
  files: ['packages/domain/test/library/album-policy.ts'],
  decideFor: (actor) => {
    const known = makeActor(actor);
    return (action, target) => can(known, action, target);
  },
  writableFields: (actor, target) => writableFields(actor, target).toSorted(),
  denial: (actor, action, target) => explain(actor, action, target).reason,
  list: (actor) => scope(actor, 'listAlbums'),
};

const casl: PolicyLanguage = {
  files: ['examples/comparison/album.casl.ts'],
  decideFor: (actor) => {
    const ability = abilityFor(actor);
    return (action, target) => ability.can(action, target);
  },
  writableFields: (actor, target) =>
    permittedFieldsOf(abilityFor(actor), 'updateAlbum', target, {
      fieldsFrom: ({ fields }) => fields ?? [],
    }).toSorted(),
  denial: (actor, action, target) => ForbiddenError.from(abilityFor(actor)).unlessCan(action, target)?.message ?? '',
  list: (actor) =>
    rulesToCondition(abilityFor(actor).rulesFor('listAlbums', 'Album'), ({ conditions }) => conditions ?? {}, {
      and: (all) => ({ $and: all }),
      or: (any) => ({ $or: any }),
      empty: () => ({}),
    }) ?? 'none',
};

const cedarFiles = ['examples/comparison/album.cedar', 'examples/comparison/album.cedarschema'] as const;
const [policies, schema] = cedarFiles.map((path) => readFileSync(path, 'utf8'));
const preparsed = [
  preparsePolicySet('albums', { staticPolicies: policies ?? '' }),
  preparseSchema('albums', schema ?? ''),
];
if (preparsed.some(({ type }) => type === 'failure')) throw new Error(JSON.stringify(preparsed));

const entity = (type: string, id: string) => ({ type, id });
const divisionOf = (id: string | null) => (id === null ? {} : { division: { __entity: entity('Division', id) } });
const asPrincipal = ({ id, isActive, groups, divisionId }: Actor): EntityJson => ({
  uid: entity('User', id),
  attrs: { isActive, groups: [...groups], ...divisionOf(divisionId) },
  parents: [],
});
const asResource = ({ id, ownerId, divisionId, isPublished }: Album): EntityJson => ({
  uid: entity('Album', id),
  attrs: { owner: { __entity: entity('User', ownerId) }, isPublished, ...divisionOf(divisionId) },
  parents: [],
});

const askCedar = (principal: EntityJson, action: string, target: Album) => {
  const resource = asResource(target);
  const answer = statefulIsAuthorized({
    principal: principal.uid,
    action: entity('Action', action),
    resource: resource.uid,
    context: {},
    entities: [principal, resource],
    preparsedPolicySetId: 'albums',
    preparsedSchemaName: 'albums',
  });
  if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors));
  return answer.response;
};
const FIELDS = { cover: 'writeCover', divisionId: 'writeDivisionId', title: 'writeTitle' };

const cedar: PolicyLanguage = {
  files: cedarFiles,
  decideFor: (actor) => {
    const principal = asPrincipal(actor);
    return (action, target) => askCedar(principal, action, target).decision === 'allow';
  },
  writableFields: (actor, target) =>
    Object.entries(FIELDS).flatMap(([field, action]) =>
      askCedar(asPrincipal(actor), action, target).decision === 'allow' ? [field] : [],
    ),
  // The policies that forbid; none if no policy permits.
  denial: (actor, action, target) => askCedar(asPrincipal(actor), action, target).diagnostics.reason.join(', '),
  // What remains to be decided per album: policies as JSON, which a program translates.
  list: (actor) => {
    const answer = isAuthorizedPartial({
      principal: entity('User', actor.id),
      action: entity('Action', 'listAlbums'),
      resource: null,
      context: {},
      policies: { staticPolicies: policies ?? '' },
      entities: [asPrincipal(actor)],
    });
    if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors));
    const { mayBeDetermining, residuals } = answer.response;
    return {
      residuals: mayBeDetermining
        .map((name) => residuals[name]?.annotations?.['id'] ?? name)
        .toSorted((one, other) => one.localeCompare(other)),
    };
  },
};

/** The album policy in three languages, by name. */
export const policyLanguages = { '`@chapter/domain`': here, CASL: casl, Cedar: cedar } as const;
