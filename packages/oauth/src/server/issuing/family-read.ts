import type { StoredRecord } from '@latchkey/store'
import type { AccountState, AuthorizationServerOptions } from '../context/server-options.ts'

/** A read of a family, with its account if `readFamily` returns it. */
export interface FamilyRead {
  /** The option of `RefreshTokens.read`. */
  readonly from: { readRecord?(key: string): Promise<StoredRecord | null> }
  /** Returns the account of the latest read; `undefined`: the account was not read. */
  readonly account: () => AccountState | null | undefined
}

export function createFamilyRead({ readFamily }: Pick<AuthorizationServerOptions, 'readFamily'>): FamilyRead {
  let account: AccountState | null | undefined
  const readRecord =
    readFamily &&
    (async (key: string) => {
      const found = await readFamily(key)
      account = found?.account
      return found?.record ?? null
    })
  return { from: { ...(readRecord && { readRecord }) }, account: () => account }
}
