import type { Feature } from '../../page-kit/feature.ts'
import { passkeyForm, passkeyStart } from './passkey-forms.ts'
import { secondFactorPage } from './second-factor-page.ts'
import { sessionSchema } from './session-schema.ts'
import { signInPage } from './sign-in-page.ts'
import { signInSchema } from './sign-in-schema.ts'
import { signOutForm } from './sign-out-form.ts'

export const signIn: Feature = {
  schemas: [signInSchema, sessionSchema],
  pages: [
    ['/sign-in', 'account', null, signInPage],
    ['/sign-out', 'account', null, signOutForm],
    ['/second-factor', 'account', null, secondFactorPage],
    ['/passkey', 'account', 'passkeys', passkeyForm],
    ['/passkey/start', 'account', 'passkeys', passkeyStart],
  ],
}
