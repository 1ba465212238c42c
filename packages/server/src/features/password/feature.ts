import type { Feature } from '../../page-kit/feature.ts'
import { passwordPage } from './password-page.ts'
import { passwordSchema } from './password-schema.ts'
import { resetPage } from './reset-page.ts'

export const password: Feature = {
  schemas: [passwordSchema],
  pages: [
    ['/account/password', 'account', null, passwordPage],
    ['/reset', 'link', null, resetPage],
  ],
}
