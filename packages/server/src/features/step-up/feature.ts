import type { Feature } from '../../page-kit/feature.ts'
import { confirmPasswordPage } from './confirm-password-page.ts'
import { stepUpForm } from './further-factor.ts'
import { stepUpSchema } from './step-up-schema.ts'

export const stepUp: Feature = {
  schemas: [stepUpSchema],
  pages: [
    ['/confirm-password', 'account', null, confirmPasswordPage],
    ['/step-up', 'account', null, stepUpForm],
  ],
}
