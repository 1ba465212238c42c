import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { deriveSecrets } from '@latchkey/bytes'
import { createJwtSigner, openKeyRing } from '@latchkey/jwt'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
import type { Quickstart } from './start-quickstart.ts'

/** Returns a token as the service itself would have signed it an hour ago: valid except for its time. */
export async function expiredToken(
  { url, dataDirectory }: Quickstart,
  claims: { readonly sub: string },
): Promise<string> {
  const stores = createSqliteStores({ database: () => new DatabaseSync(join(dataDirectory, 'publication.db')) })
  const root = await createFileSecrets({ path: join(dataDirectory, 'secret') }).load()
  const secrets = deriveSecrets(root, 'access-token-keys')
  const keys = await openKeyRing({ documents: stores.documents, secrets, algorithm: 'HS256' })
  const now = () => Date.now() - 60 * 60 * 1000
  const { iat: _iat, exp: _exp, jti: _jti, iss: _iss, aud: _aud, ...kept } = claims as Record<string, unknown>
  const { token } = await createJwtSigner({ issuer: url, audience: url, keys, now }).sign({ ...kept, sub: claims.sub })
  await stores.close()
  return token
}
