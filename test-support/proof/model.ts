import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type CedarValueJson,
  type EntityJson,
  policySetTextToParts,
  policyToJson,
  preparsePolicySet,
  preparseSchema,
  schemaToJson,
  statefulIsAuthorized,
  type TypeAndId,
} from '@cedar-policy/cedar-wasm/nodejs';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The entities and actions of all policies, in Cedar's schema language. */
export const cedarSchema = read('chapter.cedarschema');

/** The texts of the policies: those of the contract (contract §3) and those of the specification's tables of roles. */
export const cedarPolicies = { contract: read('contract.cedar'), specification: read('specification.cedar') };

/** One request to the policies. Entities that are not listed do not exist. */
export interface CedarRequest {
  readonly principal: TypeAndId;
  readonly action: string;
  readonly resource: TypeAndId;
  readonly context?: Readonly<Record<string, CedarValueJson>>;
  readonly entities: readonly EntityJson[];
}

/** A decision. `refusal` and `field` are the annotations of the denying policy, if any. */
export interface CedarDecision {
  readonly isAllowed: boolean;
  readonly refusal?: string;
  readonly field?: string;
}

type Annotations = Readonly<Record<string, string | undefined>>;

/** Policies by `@id`, with their annotations. */
export type CedarParts = ReadonlyMap<string, { readonly text: string; readonly annotations: Annotations }>;

/** Returns the policies of a text. @throws Error with the parser's messages. */
export const partsOf = (text: string): CedarParts => {
  const parsed = policySetTextToParts(text);
  if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('\n'));
  return new Map(
    parsed.policies.map((policy) => {
      const converted = policyToJson(policy);
      const annotations: Annotations = (converted.type === 'success' && converted.json.annotations) || {};
      return [annotations['id'] ?? '', { text: policy, annotations }];
    }),
  );
};

const SCHEMA = 'chapter';
const json = schemaToJson(cedarSchema);
const preparsed = preparseSchema(SCHEMA, cedarSchema);
if (json.type === 'failure' || preparsed.type === 'failure') throw new Error('the Cedar schema is invalid');
const { actions = {} } = json.json[''] ?? {};

/** The actions of the schema by name, each with the type of its resource. Groups of actions have none. */
export const cedarActions: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  Object.entries(actions).map(([name, { appliesTo }]) => [name, appliesTo?.resourceTypes[0]]),
);

const groupsOf = (action: string): readonly string[] => (actions[action]?.memberOf ?? []).map(({ id }) => id);

/** Returns whether a policy can apply to an action. Policies name actions only in their scopes. */
export const appliesTo = (policy: string, action: string): boolean => {
  const names = Array.from(policy.matchAll(/Action::"([^"]+)"/g), ([, name = '']) => name);
  return names.length === 0 || [action, ...groupsOf(action)].some((name) => names.includes(name));
};

/** Parses policies, and returns the id by which Cedar finds them, also if this module is loaded several times. */
const preparse = (staticPolicies: Readonly<Record<string, string>>): string => {
  const id = randomUUID();
  const parsed = preparsePolicySet(id, { staticPolicies });
  if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('\n'));
  return id;
};

/**
 * Makes a function that decides by policies. It remembers decisions, because each takes the wasm module about a tenth of a
 * millisecond.
 */
export const cedarModelOf = (parts: CedarParts) => {
  const known = new Map<string, CedarDecision>();
  const sets = new Map<string, string>();
  /** Returns the policies of an action. Cedar copies them for each decision, so that all policies would take longer. */
  const policiesOf = (action: string): string => {
    const found = sets.get(action);
    if (found !== undefined) return found;
    const relevant = [...parts].filter(([, policy]) => appliesTo(policy.text, action));
    const id = preparse(Object.fromEntries(relevant.map(([name, policy]) => [name, policy.text])));
    sets.set(action, id);
    return id;
  };

  const evaluate = ({ action, context = {}, ...request }: CedarRequest): CedarDecision => {
    const result = statefulIsAuthorized({
      ...request,
      action: { type: 'Action', id: action },
      context: { ...context },
      entities: [...request.entities],
      preparsedPolicySetId: policiesOf(action),
      preparsedSchemaName: SCHEMA,
      validateRequest: true,
    });
    if (result.type === 'failure') throw new Error(result.errors.map(({ message }) => message).join('\n'));
    const { decision, diagnostics } = result.response;
    const [error] = diagnostics.errors;
    if (error) throw new Error(`${error.policyId}: ${error.error.message}`);
    if (decision === 'allow') return { isAllowed: true };
    const { refusal, field } = parts.get(diagnostics.reason[0] ?? '')?.annotations ?? {};
    return { isAllowed: false, ...(refusal && { refusal }), ...(field && { field }) };
  };

  const decide = (request: CedarRequest): CedarDecision => {
    const key = JSON.stringify(request);
    const decision = known.get(key) ?? evaluate(request);
    known.set(key, decision);
    return decision;
  };
  return { decide };
};

/** Policies that decide on requests. */
export type CedarModel = ReturnType<typeof cedarModelOf>;

/** Makes the model of a text. @throws Error with the parser's messages. */
export const makeCedarModel = (text: string): CedarModel => cedarModelOf(partsOf(text));

/** The contract's model, which all proofs of a process share with its known decisions. */
export const contractModel = makeCedarModel(cedarPolicies.contract);
