import { parseScope } from '../../parameters/scope.ts'
import { refuse } from '../../replies/refusal.ts'
import type { Check } from './check.ts'

export const checkScope: Check<'scopes'> = ({ parameters, client }, context) => {
  const scope = parameters.get('scope')
  if (scope === null) return refuse('invalid_scope', '"scope" is required')
  const scopes = parseScope(scope)
  if (!scopes?.every((one) => context.scopes.has(one))) return refuse('invalid_scope', 'a scope is not known')
  return scopes.every((one) => client.scopes.includes(one))
    ? { scopes }
    : refuse('invalid_scope', 'the client may not ask for one of these scopes')
}
