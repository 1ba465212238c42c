import type { PlantedFault } from './faults.ts'

/** Mistakes of a fourth hand, which had read neither the oracle nor the deeds. The first five are the test, two are spares. */
export const plantedByAFourthHand: readonly PlantedFault[] = [
  {
    name: 'administrators-counted-before-the-wait',
    fault:
      'The removal of an administrator counts the others before it waits for the removal under way, not after it, so of two administrators who remove each other at once each has still counted the other, and none remains.',
    patch: {
      file: 'packages/accounts/src/store/administrator-removals.ts',
      old: `        if (latest && !isOwn) await settle(latest.value)
        await check()
`,
      new: `        // The last one is refused at once, without a wait for others.
        await check()
        if (latest && !isOwn) await settle(latest.value)
`,
    },
  },
  {
    name: 'renewed-family-forgets-the-token-before',
    fault:
      'A family of refresh tokens that gets the new proof of a changed password or factor, or is carried to a later epoch, forgets the token before the newest, so whoever repeats that token within its ten seconds (a second tab, or after a lost answer) counts as a thief, and the family ends.',
    patch: {
      file: 'packages/sessions/src/refresh/change-family.ts',
      old: `    const renewed = { ...value, epoch, factors: withProofs(kept, factors) }
`,
      new: `    // What was replaced before the change repeats no token after it.
    const renewed = { ...value, epoch, factors: withProofs(kept, factors), previous: null }
`,
    },
  },
  {
    name: 'codes-drawn-before-the-claim',
    fault:
      'New recovery codes are stored before the change is claimed, so whoever asks for them while the account changes is refused and gets none, and the codes that the owner has printed work no longer.',
    patch: {
      file: 'packages/accounts/src/use-cases/factors/regenerate-recovery-codes.ts',
      old: `  const claimed = await claimChange(context, holder, null)
  if (!claimed) {
    await adding.failed()
    return refuseEnded(context, input, 'recovery-code')
  }
  const codes = await recoveryCodes.generate(accountId)
`,
      new: `  // First what may fail: a claim would sign out everybody for nothing.
  const codes = await recoveryCodes.generate(accountId)
  const claimed = await claimChange(context, holder, null)
  if (!claimed) {
    await adding.failed()
    return refuseEnded(context, input, 'recovery-code')
  }
`,
    },
  },
  {
    name: 'impersonation-kept-with-the-session',
    fault:
      'A change of the account of an administrator that keeps the session of the request also keeps the impersonations that were started from it, so whoever ends all other sessions ends every one but that which acts as somebody else.',
    patch: {
      file: 'packages/accounts/src/sign-in/judge-impersonation.ts',
      old: `  const { status, epoch: current } = holder.account
  return status === 'active' && current === epoch && isWithinReach(offered, holder.account, account)
`,
      new: `  const { status, epoch: current, keptKey } = holder.account
  // What keeps the session of the administrator keeps what stands on it.
  const isUnchanged = current === epoch || keptKey === key
  return status === 'active' && isUnchanged && isWithinReach(offered, holder.account, account)
`,
    },
  },
  {
    name: 'guesses-counted-apart',
    fault:
      'Wrong passwords at a change of the password are counted by the id of the account and those at a sign-in by its address, so whoever sits at an open session of somebody else may guess twice as often in a window as the limit allows.',
    patch: {
      file: 'packages/accounts/src/use-cases/change-password.ts',
      old: `  const identifier = account?.email ?? identity.subject
`,
      new: `  // The id stays when the address changes, so a new address starts no new count.
  const identifier = identity.subject
`,
    },
  },
  {
    name: 'session-marked-as-ended-last',
    fault:
      'The end of a session revokes the tokens of its applications before it is marked as ended, so a code that is exchanged in between finds no mark, its tokens are stored after the revocation, and they outlive the sign-out.',
    patch: {
      file: 'packages/oauth/src/server/sessions/end-session.ts',
      old: `  await context.endedSessions.add(sessionKey)
  await context.refreshTokens.revokeBySession(accountId, sessionKey)
`,
      new: `  await context.refreshTokens.revokeBySession(accountId, sessionKey)
  // Marked once everything is revoked: after a failure the next attempt revokes again.
  await context.endedSessions.add(sessionKey)
`,
    },
  },
  {
    name: 'undo-reads-both-at-once',
    fault:
      'The undo of a change of address reads the account and its reserved addresses at once instead of one after the other, so of two uses of the link the second can see the addresses from before the first with the account from after it: both are told that they have undone the change, and the link to a new password that the first one mailed is dead.',
    patch: {
      file: 'packages/accounts/src/use-cases/own-account/undo-email-change.ts',
      old: `  const account = await accounts.get(accountId)
  const reserved = (await reservations?.listByAccount(accountId, now())) ?? []
`,
      new: `  const [account, reserved = []] = await Promise.all([
    accounts.get(accountId),
    reservations?.listByAccount(accountId, now()),
  ])
`,
    },
  },
]
