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

/** Returns the policies of a text by `@id`, with their annotations. @throws Error with the parser's messages. */
export const partsOf = (
  text: string,
): ReadonlyMap<string, { readonly text: string; readonly annotations: Annotations }> => {
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

let models = 0;

/**
 * Makes a function that decides by policies. It caches decisions, because the wasm module needs up to a millisecond for
 * each. `evaluated` returns the number of distinct requests.
 */
export const makeCedarModel = (text: string) => {
  models += 1;
  const preparsedPolicySetId = `policies-${models}`;
  const parts = partsOf(text);
  const staticPolicies = Object.fromEntries([...parts].map(([id, policy]) => [id, policy.text]));
  const parsed = preparsePolicySet(preparsedPolicySetId, { staticPolicies });
  if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('\n'));
  const known = new Map<string, CedarDecision>();

  const evaluate = ({ action, context = {}, ...request }: CedarRequest): CedarDecision => {
    const result = statefulIsAuthorized({
      ...request,
      action: { type: 'Action', id: action },
      context: { ...context },
      entities: [...request.entities],
      preparsedPolicySetId,
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
  return { decide, evaluated: () => known.size };
};

/** Policies that decide on requests, made by `makeCedarModel`. */
export type CedarModel = ReturnType<typeof makeCedarModel>;
