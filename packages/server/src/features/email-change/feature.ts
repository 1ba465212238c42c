import type { Feature } from '../../page-kit/feature.ts'
import { confirmEmailChangePage } from './confirm-email-change-page.ts'
import { emailChangeSchema } from './email-change-schema.ts'
import { emailPage } from './email-page.ts'
import { undoEmailChangePage } from './undo-email-change-page.ts'

export const emailChange: Feature = {
  schemas: [emailChangeSchema],
  pages: [
    ['/account/email', 'account', 'email', emailPage],
    ['/confirm-email-change', 'link', 'email', confirmEmailChangePage],
    ['/undo-email-change', 'link', 'email', undoEmailChangePage],
  ],
}
