import type { Feature } from '../../page-kit/feature.ts'
import { passkeyAddition, passkeyCreation } from './passkey-addition.ts'
import { passkeyRemoval, passkeyRenaming, passkeysPage } from './passkeys-page.ts'
import { passkeysSchema } from './passkeys-schema.ts'
import { answerRelatedOrigins } from './related-origins.ts'

export const passkeys: Feature = {
  schemas: [passkeysSchema],
  pages: [
    ['/account/passkeys', 'account', 'passkeys', passkeysPage],
    ['/account/passkeys/start', 'account', 'passkeys', passkeyCreation],
    ['/account/passkeys/add', 'account', 'passkeys', passkeyAddition],
    ['/account/passkeys/rename', 'account', 'passkeys', passkeyRenaming],
    ['/account/passkeys/remove', 'account', 'passkeys', passkeyRemoval],
  ],
  routes: ({ options }) => (options.passkeys ? [['/.well-known/webauthn', answerRelatedOrigins]] : []),
}
