import type { AnyPolicy, Rule } from '@latchkey/rbac'
import type { RuleDecider } from '../rules/decide-rule.ts'
import { readOwnedIds } from '../rules/owner-argument.ts'
import { loadOwners, type OwnedIds, ownsAll, ownsResource } from './owned-ids.ts'
import type { SealedRequest } from './sealed-request.ts'

type Values = Readonly<Record<string, unknown>>

export interface OwnerGuard {
  /**
   * Returns whether the request satisfies every owner rule: a boolean if the owners are known, else a promise after one
   * batched call of `ownersById`.
   */
  check(rules: readonly Rule[], request: SealedRequest, source: unknown, args: Values): boolean | Promise<boolean>
}

export function createOwnerGuard(policy: AnyPolicy, decider: RuleDecider): OwnerGuard {
  return {
    check(rules, request, source, args) {
      const asked: OwnedIds[] = []
      for (const rule of rules) {
        const { owner } = rule
        if (!owner || decider.liftsOwner(rule, request.identity)) continue
        if (owner.argument) asked.push({ of: owner.of, ids: readOwnedIds(args, owner.argument) })
        else if (!ownsResource(policy, owner.of, source, request.identity)) return false
      }
      return asked.length === 0 || checkIds(asked, request)
    },
  }
}

function checkIds(asked: readonly OwnedIds[], request: SealedRequest): boolean | Promise<boolean> {
  if (asked.some(({ ids }) => ids === null)) return false
  const isKnown = asked.every(({ of, ids }) => ids?.every((id) => request.owners.known(of, id) !== undefined))
  return isKnown ? ownsAll(asked, request) : loadOwners(asked, request).then(() => ownsAll(asked, request))
}
