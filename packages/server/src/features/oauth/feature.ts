import type { Feature } from '../../page-kit/feature.ts'
import { consentPage } from './consent-page.ts'
import { deviceAllowed, deviceDecision, deviceDenied, devicePage } from './device-page.ts'
import { grantRevocation } from './grant-revocation.ts'
import { oauthSchema } from './oauth-schema.ts'

export const oauth: Feature = {
  schemas: [oauthSchema],
  pages: [
    ['/account/applications/revoke', 'account', 'oauth', grantRevocation],
    ['/consent', 'account', 'oauth', consentPage],
    ['/device', 'account', 'oauth', devicePage],
    ['/device/decision', 'account', 'oauth', deviceDecision],
    ['/device/allowed', 'account', 'oauth', deviceAllowed],
    ['/device/denied', 'account', 'oauth', deviceDenied],
  ],
}
