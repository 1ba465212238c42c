import type { Feature } from '../../page-kit/feature.ts'
import { apiKeysPage, keyRevocation } from './api-keys-page.ts'
import { apiKeysSchema } from './api-keys-schema.ts'

export const apiKeys: Feature = {
  schemas: [apiKeysSchema],
  pages: [
    ['/account/keys', 'account', 'apiKeys', apiKeysPage],
    ['/account/keys/revoke', 'account', 'apiKeys', keyRevocation],
  ],
}
