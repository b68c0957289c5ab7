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

/** The entities and actions of all policies. */
export const cedarSchema = read('chapter.cedarschema');

/** The texts of the policies: of the contract's section 3, and of the specification's section 5. */
export const cedarPolicies = { contract: read('contract.cedar'), specification: read('specification.cedar') };

/** One question to the policies. Entities that are not listed do not exist. */
export interface CedarRequest {
  readonly principal: TypeAndId;
  readonly action: string;
  readonly resource: TypeAndId;
  readonly context?: Readonly<Record<string, CedarValueJson>>;
  readonly entities: readonly EntityJson[];
}

/** A decision. `refusal` and `field` are the annotations of the policy that denied, if it has them. */
export interface CedarDecision {
  readonly isAllowed: boolean;
  readonly refusal?: string;
  readonly field?: string;
}

type Annotations = Readonly<Record<string, string | undefined>>;

/** The policies of a text by their `@id`, with their annotations. Throws what the parser says of a faulty text. */
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
if (json.type === 'failure' || preparsed.type === 'failure') throw new Error('the Cedar schema is faulty');
const { actions = {} } = json.json[''] ?? {};

/** The actions of the schema by name, each with the type of its targets. Groups of actions have none. */
export const cedarActions: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  Object.entries(actions).map(([name, { appliesTo }]) => [name, appliesTo?.resourceTypes[0]]),
);

let models = 0;

/**
 * Reads policies into a function that decides. It remembers its answers: the wasm module needs a large part of a
 * millisecond for each, and the same question has the same answer. `evaluated` is the number of distinct questions.
 */
export const makeModel = (text: string) => {
  models += 1;
  const preparsedPolicySetId = `policies-${models}`;
  const parts = partsOf(text);
  const staticPolicies = Object.fromEntries([...parts].map(([id, policy]) => [id, policy.text]));
  const answer = preparsePolicySet(preparsedPolicySetId, { staticPolicies });
  if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('\n'));
  const known = new Map<string, CedarDecision>();

  const evaluate = ({ action, context = {}, ...request }: CedarRequest): CedarDecision => {
    const answer = statefulIsAuthorized({
      ...request,
      action: { type: 'Action', id: action },
      context: { ...context },
      entities: [...request.entities],
      preparsedPolicySetId,
      preparsedSchemaName: SCHEMA,
      validateRequest: true,
    });
    if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('\n'));
    const { decision, diagnostics } = answer.response;
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

/** See {@link makeModel}. */
export type CedarModel = ReturnType<typeof makeModel>;
