import type { PlantedFault } from './faults.ts'

/** Mistakes of a fifth hand, which had read neither the oracle nor the deeds. The first five are the test, two are spares. */
export const plantedByAFifthHand: readonly PlantedFault[] = [
  {
    name: 'lineage-of-the-session-before',
    fault:
      'A session that replaces another one names the key of that session as its lineage and not the lineage of that session, so after two renewals (a step-up, another sign-in over it) the tokens that an application got from it belong to no session that still exists, and they outlive the sign-out.',
    patch: {
      file: 'packages/sessions/src/sessions/create-session.ts',
      old: `{ lineage: replaces.lineage }`,
      new: `{ lineage: replaces.key }`,
    },
  },
  {
    name: 'refusal-without-its-row',
    fault:
      'The one row of a decision without an effect (a wrong password, a wrong code, a stolen refresh token) may be lost as the second row of a decision with an effect may, so if the append fails, the refusal is answered and the log has no row of it.',
    patch: {
      file: 'packages/audit/src/create-audit-log.ts',
      old: `    record: (facts) => write(facts, randomToken(16), 'done'),
`,
      new: `    // Nothing has changed that a missing row could hide: its failure is reported, as that of an outcome.
    record: (facts) => orReport(facts.kind, null, write(facts, randomToken(16), 'done')),
`,
    },
  },
  {
    name: 'refused-attempts-stay-counted',
    fault:
      'An attempt above a limit is refused and stays in the count, so when a right password that was under way leaves the count again, the count is still full, and the right password is refused for the rest of the window although fewer were wrong than the limit allows.',
    patch: {
      file: 'packages/rate-limit/src/create-rate-limit.ts',
      old: `      await giveBack()
      return refuse(window)
`,
      new: `      // The window is full in any case, and so a flood costs one call for each attempt.
      return refuse(window)
`,
    },
  },
  {
    name: 'copied-code-refused-in-any-case',
    fault:
      'The second use of an authorization code is refused although the store has failed to revoke what the first one gave, so the client is told that the code is used up, and the tokens of a code that was shown twice stay valid.',
    patch: {
      file: 'packages/oauth/src/server/grant-types/authorization-code.ts',
      old: `  await context.refreshTokens.revoke(verdict.gave)
`,
      new: `  // The code gives nothing, whether or not the store answers: a failure must not hide the refusal.
  await context.refreshTokens.revoke(verdict.gave).catch(() => false)
`,
    },
  },
  {
    name: 'kept-over-one-raise-only',
    fault:
      'A session or family that was read two raises before its account is refused without being read again, although both raises have kept it, so a refresh that crosses the set-up or the removal of a factor in the same sign-in revokes the family and signs its owner out.',
    patch: {
      file: 'packages/accounts/src/sign-in/kept-key.ts',
      old: `  const latest = account.keptKey === opened.key ? await sessions.find(opened.subject, opened.key) : null
`,
      new: `  // A raise keeps only the epoch before: an older session is not worth a read.
  const mayBeKept = account.keptKey === opened.key && opened.epoch >= account.epoch - 1
  const latest = mayBeKept ? await sessions.find(opened.subject, opened.key) : null
`,
    },
  },
  {
    name: 'left-codes-count-again',
    fault:
      'The set-up of a first factor keeps recovery codes that an interrupted removal of the last factor has left, so whoever turns the app off while the store fails, and on again later, gets no codes, and the codes from before still stand for the new factor.',
    patch: {
      file: 'packages/accounts/src/use-cases/factors/change-factors.ts',
      old: `  const claimed = await claimChange(context, holder, added)
  if (claimed && (await readInForce(context, claimed)).length === 0) await context.recoveryCodes?.remove(claimed.id)
  return claimed
`,
      new: `  // Recovery codes go with the last factor: there are none left to remove here.
  return claimChange(context, holder, added)
`,
    },
  },
  {
    name: 'records-removed-one-by-one',
    fault:
      'A deletion of an account removes its records one kind after the other and not all at once, so if the stores fall silent after the account was removed, the answer takes longer than the six deadlines in which every operation is answered.',
    patch: {
      file: 'packages/accounts/src/use-cases/own-account/delete-account.ts',
      old: `  await cleanUp(context, { accountId: subject, attempt }, [...removeAll(context, claimed)])
`,
      new: `  // Each has its own event: not only the first failure is told.
  for (const removing of removeAll(context, claimed))
    await cleanUp(context, { accountId: subject, attempt }, [removing])
`,
    },
  },
]
