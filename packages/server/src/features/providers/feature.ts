import type { Feature } from '../../page-kit/feature.ts'
import { providerCallback } from './callback-page.ts'
import { confirmProviderPage, confirmWith } from './confirm-provider-page.ts'
import { providerLogout } from './logout-endpoint.ts'
import { providerLinking, providersPage, providerUnlinking } from './providers-page.ts'
import { providersSchema } from './providers-schema.ts'
import { signInWith } from './sign-in-with.ts'

export const providers: Feature = {
  schemas: [providersSchema],
  pages: [
    ['/sign-in/with/:name', 'account', 'providers', signInWith],
    ['/sign-in/with/:name/callback', 'provider', 'providers', providerCallback],
    ['/sign-in/with/:name/logout', 'provider', 'providers', providerLogout],
    ['/confirm-provider', 'account', 'providers', confirmProviderPage],
    ['/confirm-provider/with/:name', 'account', 'providers', confirmWith],
    ['/account/providers', 'account', 'providers', providersPage],
    ['/account/providers/:name/link', 'account', 'providers', providerLinking],
    ['/account/providers/unlink', 'account', 'providers', providerUnlinking],
  ],
}
