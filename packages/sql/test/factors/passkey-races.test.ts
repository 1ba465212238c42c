import { DatabaseSync } from 'node:sqlite'
import { createPasskeys } from '@latchkey/passkeys'
import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { createSqliteStores } from '@latchkey/sql'
import { describePasskeyRaces, type PasskeyRaces } from '@latchkey/test-services'

const origin = 'https://example.com'
async function openPasskeys(counter: number | null): Promise<PasskeyRaces> {
  const { documents, records, migrate } = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  await migrate()
  const passkeys = createPasskeys({
    documents,
    records,
    secrets: [{ id: '2026-01', bytes: new Uint8Array(32).fill(7) }],
    relyingParty: { id: 'example.com', name: 'Example', origins: [origin] },
  })
  return { passkeys, documents, authenticator: createSoftwareAuthenticator({ origin, counter }) }
}

describePasskeyRaces(openPasskeys)
