import { decodeBase64url } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import type { CollectionItem } from '@latchkey/store/internal'
import type { ApiKeyParts } from '../../api-keys/api-key-format.ts'
import type { StoredApiKey } from '../../api-keys/stored-api-keys.ts'
import type { ApiKeys } from '../../context/read-api-keys.ts'

/** Returns the stored key whose secret was shown. The secret is compared in constant time. */
export async function findGenuine(
  { stored }: Pick<ApiKeys, 'stored'>,
  { id, secret }: ApiKeyParts,
): Promise<CollectionItem<StoredApiKey> | null> {
  const found = await stored.get(id)
  const digest = found && decodeBase64url(found.value.secretHash)
  return digest && isSha256Of(digest, secret) ? found : null
}
