import type { Feature } from '../../page-kit/feature.ts'
import { emailCodeSchema } from './email-code-schema.ts'
import { signInCodePage } from './sign-in-code-page.ts'

export const emailCode: Feature = {
  schemas: [emailCodeSchema],
  pages: [['/sign-in-code', 'account', 'emailCode', signInCodePage]],
}
