import type { StoredRecord } from '@latchkey/store'
import type { AccountState, AuthorizationServerOptions } from '../context/server-options.ts'

/** One read of a family, with its account if that is read at the same time. */
export interface FamilyRead {
  /** For `RefreshTokens`. */
  readonly from: { readRecord?(key: string): Promise<StoredRecord | null> }
  /** Returns the account that was read last; `undefined`: it is still to be read. */
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
