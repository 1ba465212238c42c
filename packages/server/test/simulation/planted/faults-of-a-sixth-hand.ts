import type { PlantedFault } from './faults.ts'

/** Mistakes of a sixth hand, which had read neither the oracle nor the deeds. The first five are the test, two are spares. */
export const plantedByASixthHand: readonly PlantedFault[] = [
  {
    name: 'place-given-back-after-the-answer',
    fault:
      'A right password is answered before its place in the limits is given back, and a failure of that is swallowed, so the next attempt may find the window full although fewer passwords were wrong than the limit allows.',
    patch: {
      file: 'packages/accounts/src/sign-in/guard-guesses.ts',
      old: `      if (counts) {
        await place.giveBack()
`,
      new: `      if (counts) {
        // Who was right does not wait for the counters.
        void place.giveBack().catch(() => undefined)
`,
    },
  },
  {
    name: 'session-revoked-before-its-tokens',
    fault:
      'A sign-out removes the session first and revokes the tokens that applications got from it afterwards, so if the store fails or the process is killed in between, the session has ended, no repetition finds it, and the tokens outlive it.',
    patch: {
      file: 'packages/oauth/src/server/sessions/bind-sessions.ts',
      old: `      if (found?.kind === 'session') await issued.endSession(subject, found.lineage)
      return sessions.revoke(subject, key)
`,
      new: `      const isRevoked = await sessions.revoke(subject, key)
      // Of several callers, the one that has revoked it tells the clients.
      if (isRevoked && found?.kind === 'session') await issued.endSession(subject, found.lineage)
      return isRevoked
`,
    },
  },
  {
    name: 'check-under-way-is-shared',
    fault:
      'An event of a stream is confirmed by the check of the identity that is under way, if there is one, so an event that was published after the acknowledged revocation is sent if the periodic check had read the session before it.',
    patch: {
      file: 'packages/graphql/src/subscriptions/identity-watches.ts',
      old: `async function checkAndEnd(state: WatchesState, one: WatchedIdentity): Promise<StreamEnd | null> {
  const end = await recheckIdentity(one, state)
  if (end !== null) endWatch(state, one, end)
  return end
}
`,
      new: `const underWay = new WeakMap<WatchedIdentity, Promise<StreamEnd | null>>()

/** A check that is under way serves all who ask meanwhile, so that a burst of events costs one read. */
function checkAndEnd(state: WatchesState, one: WatchedIdentity): Promise<StreamEnd | null> {
  const check = async (): Promise<StreamEnd | null> => {
    const end = await recheckIdentity(one, state)
    if (end !== null) endWatch(state, one, end)
    return end
  }
  const checking = underWay.get(one) ?? check().finally(() => underWay.delete(one))
  underWay.set(one, checking)
  return checking
}
`,
    },
  },
  {
    name: 'outage-ends-the-family',
    fault:
      'A refresh whose account cannot be read is refused as that of a changed account, so a store that fails once between the exchange of the token and the answer revokes the family and signs its owner out.',
    patch: {
      file: 'packages/accounts/src/use-cases/refresh.ts',
      old: `  const account = await findValid(context, family)
`,
      new: `  // Without its account a family gives nothing.
  const account = await findValid(context, family).catch(() => null)
`,
    },
  },
  {
    name: 'unanswered-wait-counts-as-over',
    fault:
      'The removal of an administrator goes on if the store fails while it waits for the removal under way, so of two administrators who remove each other at once during an outage each has still counted the other, and none remains.',
    patch: {
      file: 'packages/accounts/src/store/administrator-removals.ts',
      old: `        if (latest && !isOwn) await settle(latest.value)
`,
      new: `        // A removal that nobody can look at must not block this one: the others are counted in any case.
        if (latest && !isOwn) await settle(latest.value).catch(() => undefined)
`,
    },
  },
  {
    name: 'overtaken-renewal-counts-as-revoked',
    fault:
      'A family of refresh tokens whose record changes while it is carried to the epoch of its account counts as revoked and is not read again, so a change of the account that crosses a refresh of the same sign-in does not keep that sign-in, and its owner is signed out.',
    patch: {
      file: 'packages/sessions/src/refresh/change-family.ts',
      old: `    if (!(await records.replace(record, next))) return null
    emit({ type: 'family.renewed', sessionKey: key, accountId: subject, epoch })
`,
      new: `    // It was revoked after the read.
    if (!(await records.replace(record, next))) return false
    emit({ type: 'family.renewed', sessionKey: key, accountId: subject, epoch })
`,
    },
  },
  {
    name: 'account-of-others-counts-as-created',
    fault:
      'A sign-up whose account cannot be inserted counts as completed if there is an account of its address by then, so of two uses of the same link at once, or of two links of one address, both are told that their account was created.',
    patch: {
      file: 'packages/accounts/src/use-cases/verify-email.ts',
      old: `  const commit = async (): Promise<boolean> => (await pendingAccounts.read(token)) !== null && accounts.insert(account)
`,
      new: `  // An earlier attempt may have inserted it, and its answer was lost.
  const commit = async (): Promise<boolean> =>
    (await accounts.insert(account)) || (await accounts.getByEmail(email)) !== null
`,
    },
  },
]
