import { ignore } from '../presence/presence.ts'

/** The values that survive the page: a key that no script can read, and the refresh token that is bound to the key. */
export interface Kept {
  readonly keys: CryptoKeyPair
  readonly refreshToken?: string
  /** Whether a sign-out waits to be sent to the service. */
  readonly isOut?: boolean | undefined
}

export interface Keys {
  /** Returns the kept values, with a new key for the first page. */
  read(): Promise<Kept>
  /** Keeps these values with the key that was read. */
  write(kept: Omit<Kept, 'keys'>): Promise<void>
}

/** Opens the keys of a client, in IndexedDB, or in memory if the page has no IndexedDB. */
export function openKeys(name: string): Keys {
  let memory: Kept | undefined
  const request = async <Value>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<Value>) => {
    const opening = indexedDB.open(name)
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('k'))
    const database = await settled(opening)
    try {
      return await settled(run(database.transaction('k', mode).objectStore('k')))
    } finally {
      database.close()
    }
  }
  const keep = async (kept: Kept): Promise<void> => {
    memory = kept
    await request('readwrite', (store) => store.put(kept, 'k')).catch(ignore)
  }
  const read = async (): Promise<Kept> => {
    const kept = await request<Kept | undefined>('readonly', (store) => store.get('k')).catch(ignore)
    if (!(kept ?? memory)) await keep({ keys: await createKey() })
    return (kept ?? memory) as Kept
  }
  return { read, write: async (kept) => keep({ keys: (await read()).keys, ...kept }) }
}

function createKey(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
}

function settled<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}
