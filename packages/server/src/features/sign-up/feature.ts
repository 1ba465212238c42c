import type { Feature } from '../../page-kit/feature.ts'
import { signUpPage } from './sign-up-page.ts'
import { signUpSchema } from './sign-up-schema.ts'
import { verifyPage } from './verify-page.ts'

export const signUp: Feature = {
  schemas: [signUpSchema],
  pages: [
    ['/sign-up', 'link', 'signUp', signUpPage],
    ['/verify', 'link', null, verifyPage],
  ],
}
