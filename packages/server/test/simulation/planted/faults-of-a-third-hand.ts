import type { PlantedFault } from './faults.ts'

/** Mistakes of a third hand, which had read neither the oracle nor the other hands. They were searched once, after everything else was finished. */
export const plantedByAThirdHand: readonly PlantedFault[] = [
  {
    name: 'sign-in-takes-the-new-epoch',
    fault:
      'A session or family is opened with the epoch that the account has when it is stored and not with the one at which the password was right, so a sign-in with the old password that crosses a change or reset of the password (or the end of all sessions) goes on afterwards.',
    patch: {
      file: 'packages/accounts/src/sign-in/issue-credentials.ts',
      old: `  const { provider, account } = signedIn
  const enrollmentSince = (await context.requiredFactor?.ask(account)) ?? null
  if (provider && !(await context.providerSessions.remember(provider, account.id))) return 'session-revoked'
  const established =
    delivery === 'session'
      ? await openSession(context, signedIn, { ...request, enrollmentSince })
      : await openFamily(context, signedIn, { ...request, delivery, enrollmentSince })
`,
      new: `  const { provider } = signedIn
  // A second step may have taken minutes: what is opened is of the account as it is by now.
  const account = await context.accounts.get(signedIn.account.id)
  if (account?.status !== 'active') return 'account-changed'
  const current = { ...signedIn, account }
  const enrollmentSince = (await context.requiredFactor?.ask(account)) ?? null
  if (provider && !(await context.providerSessions.remember(provider, account.id))) return 'session-revoked'
  const established =
    delivery === 'session'
      ? await openSession(context, current, { ...request, enrollmentSince })
      : await openFamily(context, current, { ...request, delivery, enrollmentSince })
`,
    },
  },
  {
    name: 'grace-from-issue',
    fault:
      'The grace of a replaced refresh token counts from when that token was issued and not from when it was replaced, so of two refreshes at once with a token older than the grace the second one ends the family as stolen and signs its user out.',
    patch: {
      file: 'packages/sessions/src/refresh/redeem-refresh-token.ts',
      old: `      rotatedAt: time,
`,
      new: `      rotatedAt: value.lastUsedAt,
`,
    },
  },
  {
    name: 'code-confirmed-too-early',
    fault:
      'An authorization code is checked for a second use before the family of its tokens is stored instead of after it, so a second use in between revokes nothing and the tokens of a code that was shown twice stay valid.',
    patch: {
      file: 'packages/oauth/src/server/grant-types/authorization-code.ts',
      old: `    verdict = await use(key)
    return verdict.ok
  })
  if (!issued) return refuseUsed(context, asked, verdict)
  const { family } = issued
  const isTold = await rememberClient(context, asked.client, { accountId, value })
  const isConfirmed = (await context.codes.confirm(code)) && (await mayGoOut(context, family))
`,
      new: `    verdict = await use(key)
    return verdict.ok && (await context.codes.confirm(code))
  })
  if (!issued) return refuseUsed(context, asked, verdict)
  const { family } = issued
  const isTold = await rememberClient(context, asked.client, { accountId, value })
  const isConfirmed = await mayGoOut(context, family)
`,
    },
  },
  {
    name: 'unfinished-sign-in-outlives-password',
    fault:
      'A sign-in that has shown the old password and waits for its second factor is not ended by a change or reset of the password (nor by any other new epoch): the answer to its challenge still signs in afterwards.',
    patch: {
      file: 'packages/accounts/src/sign-in/answer-challenge.ts',
      old: `  if (account?.status !== 'active' || account.epoch !== challenge.epoch) return refuse('account-changed')
`,
      new: `  // Whether it changes from here on is seen when the credentials are stored.
  if (account?.status !== 'active') return refuse('account-changed')
`,
    },
  },
  {
    name: 'session-ended-before-its-row',
    fault:
      'The revocation of a session (sign-out, or from the list of devices) is made before its intention is written to the audit log, so if that append fails or the process dies in between, a session has ended and the log has no row of it.',
    patch: {
      file: 'packages/accounts/src/use-cases/manage-sessions.ts',
      old: `  const ending = context.trail.plan(said)
  await ending.begin()
  const isEnded = await context.sessions.revoke(subject, key)
  // Who ends another session may end that of a thief, who has asked for another address. It is done again at each attempt.
  if (reason === 'revoked' && context.emailChange) await context.emailChanges.endConfirms(subject)
  if (!isEnded) {
    await ending.failed()
    return false
  }
  await ending.done(said)
`,
      new: `  const ending = context.trail.plan(said)
  const isEnded = await context.sessions.revoke(subject, key)
  // Who ends another session may end that of a thief, who has asked for another address. It is done again at each attempt.
  if (reason === 'revoked' && context.emailChange) await context.emailChanges.endConfirms(subject)
  // One that another caller has ended is no decision of this one.
  if (!isEnded) return false
  await ending.begin()
  await ending.done(said)
`,
    },
  },
  {
    name: 'api-key-of-former-epoch',
    fault:
      'An API key that is created while the password is changed or reset, or all sessions are ended, is not taken back when the account has a new epoch: it was asked for under the old state and works on.',
    patch: {
      file: 'packages/accounts/src/use-cases/api-keys/create-api-key.ts',
      old: `    if (latest?.epoch === account.epoch && latest.status === 'active') return true
`,
      new: `    if (latest?.status === 'active') return true
`,
    },
  },
  {
    name: 'trusted-device-survives-one-change',
    fault:
      'A remembered device is still trusted after one change of the account (a new password, a reset, a new role, the end of all sessions), so a sign-in there asks for no second factor until the change after it.',
    patch: {
      file: 'packages/accounts/src/devices/trusted-devices.ts',
      old: `      return isGenuine && value.accountId === id && value.epoch === epoch
`,
      new: `      // As a session that was kept: of this epoch, or of the one before.
      const isOfEpoch = value.epoch === epoch || value.epoch === epoch - 1
      return isGenuine && value.accountId === id && isOfEpoch
`,
    },
  },
]
