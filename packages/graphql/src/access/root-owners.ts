import type { Rule } from '@latchkey/rbac'
import { type GraphQLError, getArgumentValues } from 'graphql'
import { AccessError, isAccessError } from '../errors.ts'
import type { ReachedField } from '../plan/plan.ts'
import type { PromiseOrValue } from '../promise-or-value.ts'
import { locate, outOfScopeError } from '../refusal.ts'
import type { RuleDecider } from '../rules/decide-rule.ts'
import { readOwnedIds } from '../rules/owner-argument.ts'
import { loadOwners, type OwnedIds, ownsAll } from './owned-ids.ts'
import type { SealedRequest } from './sealed-request.ts'

/** A root field and the ids that it must own. */
interface OwnedRoot extends OwnedIds {
  readonly field: ReachedField
}

const errorsAtMost = 10

/**
 * Decides the ownership of all root fields before any resolver runs, so that no mutation is half done, with one call
 * for each kind of resource.
 */
export function refusedOwners(
  reached: readonly ReachedField[],
  request: SealedRequest,
  decider: RuleDecider,
): PromiseOrValue<readonly GraphQLError[]> {
  const roots = reached.filter(({ path, rules }) => path.length === 1 && rules.some((rule) => rule.owner))
  if (roots.length === 0) return []
  const read = roots.map((field) => readOwned(field, request, decider))
  const unreadable = read.flatMap((owned) => (isAccessError(owned) ? [owned] : []))
  if (unreadable.length > 0) return roots.flatMap((field, index) => located(read[index], field)).slice(0, errorsAtMost)
  const owned = read.flatMap((one) => (isAccessError(one) ? [] : one))
  return loadOwners(owned, request).then(() => {
    const foreign = new Set(owned.filter((one) => !ownsAll([one], request)).map(({ field }) => field))
    const error = outOfScopeError(request.names?.lifting([...foreign]) ?? null)
    return [...foreign].slice(0, errorsAtMost).map((field) => locate(error, field))
  })
}

function located(owned: unknown, field: ReachedField): GraphQLError[] {
  return isAccessError(owned) ? [locate(owned, field)] : []
}

function readOwned(field: ReachedField, request: SealedRequest, decider: RuleDecider): OwnedRoot[] | AccessError {
  const asking = field.rules.filter((rule) => rule.owner && !decider.liftsOwner(rule, request.identity))
  if (asking.length === 0) return []
  const definition = request.plan.rootType.getFields()[field.node.name.value]
  if (!definition) return new AccessError('FORBIDDEN')
  try {
    const values = getArgumentValues(definition, field.node, request.variables.values)
    return asking.map((rule) => ownedBy(rule, field, values))
  } catch {
    return new AccessError('BAD_USER_INPUT', { message: 'The value of an argument does not match its type.' })
  }
}

function ownedBy({ owner }: Rule, field: ReachedField, values: Readonly<Record<string, unknown>>): OwnedRoot {
  return { field, of: owner?.of ?? '', ids: owner?.argument ? readOwnedIds(values, owner.argument) : null }
}
