import type { PlantedFault } from './faults.ts'

/** Mistakes of sign-ins with a provider, with a code by mail, and with a passkey. */
export const faultsOfOtherWays: readonly PlantedFault[] = [
  {
    name: 'link-read-once',
    fault:
      'a sign-in with a provider does not read the link again after the account, so it opens an account whose link was removed in between',
    patch: {
      file: 'packages/accounts/src/sign-in/linked-account.ts',
      old: `  const latest = account && (await links.get(issuer, subject))
  return latest?.accountId === accountId ? account : null
`,
      new: `  return account
`,
    },
  },
  {
    name: 'unlink-not-settled',
    fault:
      'an unlinking that failed with the removal of the link does not revoke what the link has opened since the epoch was raised',
    patch: {
      file: 'packages/accounts/src/use-cases/providers/unlink-provider.ts',
      old: `    await settleOrEnd(context, holder, claimed)
    throw error
`,
      new: `    throw error
`,
    },
  },
  {
    name: 'link-of-one-claim',
    fault:
      'a link raises the epoch before it is added, and not after it, so a change that came between the two does not know of it',
    patch: {
      file: 'packages/accounts/src/use-cases/providers/link-provider.ts',
      old: `  const account = await claimChange(context, { ...holder, account: claimed }, null).catch((error: unknown) => {
`,
      new: `  const account = await Promise.resolve(claimed).catch((error: unknown) => {
`,
    },
  },
  {
    name: 'mailed-code-of-any-epoch',
    fault: 'a code by mail opens an account that has changed since it was asked for',
    patch: {
      file: 'packages/accounts/src/mail/sign-in-codes.ts',
      old: `  if (target.epoch !== stored.epoch) return 'account-changed'
`,
      new: '',
    },
  },
  {
    name: 'mailed-code-for-two',
    fault: 'two browsers that show a code by mail at once are both signed in',
    patch: {
      file: 'packages/accounts/src/mail/sign-in-codes.ts',
      old: `      return (await records.remove(shown.key)) ? 'right-factor' : 'factor-overtaken'
`,
      new: `      await records.remove(shown.key)
      return 'right-factor'
`,
    },
  },
  {
    name: 'passkey-read-once',
    fault:
      'a sign-in with a passkey does not read the passkeys again after the account, so one that was removed in between opens it',
    patch: {
      file: 'packages/accounts/src/sign-in/passkey-account.ts',
      old: `  const left = account ? await offered(passkeys).list(accountId) : []
  return left.some(({ id }) => id === passkey.id) ? account : null
`,
      new: `  return account
`,
    },
  },
  {
    name: 'passkey-response-for-two',
    fault: 'two browsers that show the response of a passkey at once are both signed in',
    patch: {
      file: 'packages/passkeys/src/challenges.ts',
      old: `      return (await records.remove(key)) ? { ok: true, ...begun } : refused('challenge')
`,
      new: `      await records.remove(key)
      return { ok: true, ...begun }
`,
    },
  },
  {
    name: 'passkey-not-taken-back',
    fault:
      'a passkey that was registered while the factors were reset stays registered, although its owner was told that it is not',
    patch: {
      file: 'packages/accounts/src/use-cases/factors/passkey-registration.ts',
      old: `  const takeBack = (): Promise<boolean> => passkeys.remove(accountId, passkey.id)
`,
      new: `  const takeBack = async (): Promise<boolean> => true
`,
    },
  },
]
