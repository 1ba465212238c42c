import type { PlantedFault } from './faults.ts'

/** Mistakes that somebody wrote down who had not read the oracle, before anybody looked whether the simulation finds them. */
export const plantedByOthers: readonly PlantedFault[] = [
  {
    name: 'link-of-earlier-epoch',
    fault: 'a link that sets a password is accepted after the account has changed',
    patch: {
      file: 'packages/accounts/src/use-cases/reset-password.ts',
      old: 'account.epoch === link?.epoch',
      new: 'account.epoch >= (link?.epoch ?? 0)',
    },
  },
  {
    name: 'key-written-back',
    fault: 'the note of the use of an API key stores the key again that was revoked in the meantime',
    patch: {
      file: 'packages/accounts/src/use-cases/api-keys/identify-api-key.ts',
      old: 'async () => void (await apiKeys.stored.replace(found, { ...value, lastUsedAt })),',
      new: `async () => {
        const next = { ...value, lastUsedAt }
        if (!(await apiKeys.stored.replace(found, next))) await apiKeys.stored.insert(found.id, owner, next)
      },`,
    },
  },
  {
    name: 'code-right-once-read',
    fault: 'a recovery code that was unused at the first read counts as unused after a lost swap',
    patch: {
      file: 'packages/totp/src/verify-recovery-code.ts',
      old: 'if (!isUnused) {',
      new: 'if (!isUnused && !seen.wasUnused) {',
    },
  },
  {
    name: 'administrators-counted-once',
    fault: 'the remaining administrators are counted, and their removals do not wait for each other',
    patch: {
      file: 'packages/accounts/src/store/administrator-removals.ts',
      old: 'if (latest && !isOwn) await settle(latest.value)',
      new: '',
    },
  },
  {
    name: 'old-session-left',
    fault: 'a session is replaced although the removal of the old one failed',
    patch: {
      file: 'packages/sessions/src/sessions/create-session.ts',
      old: 'await records.remove(newKey).catch(() => {})\n    throw error',
      new: 'return true',
    },
  },
  {
    name: 'chain-left-open',
    fault: 'a process writes on at the same place of its chain after an append whose answer was lost',
    patch: {
      file: 'packages/audit/src/chain-writer.ts',
      old: 'if (!isAdded) open = null',
      new: '',
    },
  },
]
