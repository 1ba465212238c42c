import type { PlantedFault } from './faults.ts'

/** Mistakes of somebody else who had not read the oracle either. At first three of the eight were found. */
export const plantedByASecondHand: readonly PlantedFault[] = [
  {
    name: 'absent-session-counts-as-replaced',
    fault:
      'A session that somebody else has revoked while it was being replaced (step-up, change of password, sign-in over it) counts as replaced, because its absence is taken for success, so the new session outruns the revocation.',
    patch: {
      file: 'packages/sessions/src/sessions/create-session.ts',
      old: `/**
 * Returns whether the replaced session was removed here, or had expired. A session that is absent before its expiry was
 * revoked.
 */
async function retire({ records, now }: SessionsContext, old: Session, newKey: string): Promise<boolean> {
  try {
    return (await records.remove(old.key)) || old.expiresAt <= now()
`,
      new: `/**
 * Returns whether the replaced session is gone: removed here, expired, or removed by an earlier attempt whose answer was
 * lost.
 */
async function retire({ records }: SessionsContext, old: Session, newKey: string): Promise<boolean> {
  try {
    return (await records.remove(old.key)) || (await records.get(old.key)) === null
`,
    },
  },
  {
    name: 'sign-in-trusts-the-factor-column',
    fault:
      'A sign-in believes the column of the enrolled kinds and looks at the stored factors only if the column is empty, so after an enrolment or a removal that was cut short the account is asked for a factor that it does not have, and its owner is locked out.',
    patch: {
      file: 'packages/accounts/src/sign-in/sign-in-states.ts',
      old: `  const enrolled = await readEnrolled(context, account)
  const { kinds } = enrolled
`,
      new: `  // The column has every kind that may count: the factors are listed only where it has none.
  const enrolled: EnrolledFactors =
    account.enrolled.length > 0 ? { kinds: account.enrolled } : await readEnrolled(context, account)
  const { kinds } = enrolled
`,
    },
  },
  {
    name: 'reset-removes-api-keys-only-afterwards',
    fault:
      'A reset of the password removes the API keys of the account only in the clean-up after the swap, whose failure is swallowed, so a reset is acknowledged while the keys from before it go on working.',
    patch: {
      file: 'packages/accounts/src/use-cases/set-password.ts',
      old: `  const issuers = await removeLinks(context, { accountId, attempt })
  await removeApiKeys(context.documents, accountId)
  const changed = await swapPassword(context, account, passwordHash)
`,
      new: `  const issuers = await removeLinks(context, { accountId, attempt })
  const changed = await swapPassword(context, account, passwordHash)
`,
    },
  },
  {
    name: 'any-consent-revives-old-tokens',
    fault:
      'Tokens of an application are compared with what the present consent covers instead of with the consent that they were given by, so whoever withdraws a consent and later gives it again brings the withdrawn tokens and codes back to life.',
    patch: {
      file: 'packages/oauth/src/server/issuing/access-tokens.ts',
      old: `  { subject, epoch, grant: grantId, clientId }: RefreshFamily,
  account?: AccountState | null,
): Promise<boolean> {
  const asked = account === undefined ? accountState(subject) : account
  const [state, grant] = await Promise.all([asked, grants.find(subject, clientId)])
  return state?.epoch === epoch && grant?.id === grantId
}
`,
      new: `  { subject, epoch, scopes, clientId }: RefreshFamily,
  account?: AccountState | null,
): Promise<boolean> {
  const asked = account === undefined ? accountState(subject) : account
  const [state, grant] = await Promise.all([asked, grants.find(subject, clientId)])
  const isCovered = grant !== null && (scopes ?? []).every((scope) => grant.scopes.includes(scope))
  return state?.epoch === epoch && isCovered
}
`,
    },
  },
  {
    name: 'new-chain-follows-unwritten-rows',
    fault:
      'The audit log notes how far its chain has come before the store has acknowledged the append, so after an append that failed the next chain says that it follows rows which were never written, and the verification reports that the log was cut.',
    patch: {
      file: 'packages/audit/src/chain-writer.ts',
      old: `    if (!(await isAppended(rows))) {
      throw new StoreError('STORE_UNAVAILABLE', 'there is a row in this place of the audit log already')
    }
    open = { ...chain, end }
    follows = headOf(end)
`,
      new: `    // Also where the answer is lost: the next chain says how far this one has come.
    follows = headOf(end)
    if (!(await isAppended(rows))) {
      throw new StoreError('STORE_UNAVAILABLE', 'there is a row in this place of the audit log already')
    }
    open = { ...chain, end }
`,
    },
  },
  {
    name: 'impersonation-asks-only-for-the-epoch',
    fault:
      'Whether an administrator may go on acting as another account is judged by the epoch and status of the administrator alone and no longer by the session that it was started from, so the impersonation outlives the sign-out or the revocation of that session.',
    patch: {
      file: 'packages/accounts/src/sign-in/judge-impersonation.ts',
      old: `  { impersonation: offered, opened }: Pick<AccountsContext, 'impersonation' | 'opened'>,
  account: IdentityAccount,
  impersonation: Impersonation | null,
): Promise<boolean> {
  if (impersonation === null) return true
  const { by, epoch, key } = impersonation
  if (offered === null) return false
  const holder = await opened.holder(by, key)
  if (holder === null) return false
  const { status, epoch: current } = holder.account
  return status === 'active' && current === epoch && isWithinReach(offered, holder.account, account)
}
`,
      new: `  { impersonation: offered, accounts }: Pick<AccountsContext, 'impersonation' | 'accounts'>,
  account: IdentityAccount,
  impersonation: Impersonation | null,
): Promise<boolean> {
  if (impersonation === null) return true
  const { by, epoch } = impersonation
  if (offered === null) return false
  // What ends the sessions of the administrator raises the epoch.
  const administrator = await accounts.get(by)
  if (administrator === null) return false
  const { status, epoch: current } = administrator
  return status === 'active' && current === epoch && isWithinReach(offered, administrator, account)
}
`,
    },
  },
  {
    name: 'reset-repeats-a-lost-swap',
    fault:
      'A reset whose swap was lost reads the account again and swaps on the epoch that it finds then, so of two uses of the same link at once both set a password, and both are told so.',
    patch: {
      file: 'packages/accounts/src/use-cases/set-password.ts',
      old: `/** A user who follows the link has the mailbox, so an unverified address is verified. */
async function swapPassword(
  { accounts }: AccountsContext,
  account: StoredAccount,
  passwordHash: string,
): Promise<StoredAccount | null> {
  const { id, epoch, status } = account
  const change = { passwordHash, epoch: epoch + 1, keptKey: null, status: 'active' } as const
  return (await accounts.replace(id, { epoch, status }, change)) ? { ...account, ...change } : null
}
`,
      new: `const tries = 5

/**
 * A user who follows the link has the mailbox, so an unverified address is verified. If another change came first, for
 * example of a role, it is made on top of that, unless the account was closed.
 */
async function swapPassword(
  { accounts }: AccountsContext,
  { id, status, ...read }: StoredAccount,
  passwordHash: string,
): Promise<StoredAccount | null> {
  let latest: StoredAccount | null = { id, status, ...read }
  for (let made = 0; made < tries && latest?.status === status; made++) {
    const { epoch }: StoredAccount = latest
    const change = { passwordHash, epoch: epoch + 1, keptKey: null, status: 'active' } as const
    if (await accounts.replace(id, { epoch, status }, change)) return { ...latest, ...change }
    latest = await accounts.get(id)
  }
  return null
}
`,
    },
  },
  {
    name: 'late-repeat-is-no-reuse',
    fault:
      'The refresh token before the newest one, presented after its grace, is only refused and no longer counts as a copy, so the family goes on for whoever holds the successor.',
    patch: {
      file: 'packages/sessions/src/refresh/redeem-refresh-token.ts',
      old: `  // 5. Any other secret of this lineage is a copy of an old token: end the family.
`,
      new: `  // 5. The previous secret after that: a device that was offline for longer signs in again.
  if (!mismatch && isPrevious(presented, found.value)) return refuse('unknown')
  // 6. Any other secret of this lineage is a copy of an old token: end the family.
`,
    },
  },
]
