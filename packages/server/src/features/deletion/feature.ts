import type { Feature } from '../../page-kit/feature.ts'
import { deletionPage } from './deletion-page.ts'
import { deletionSchema } from './deletion-schema.ts'

export const deletion: Feature = {
  schemas: [deletionSchema],
  pages: [['/account/delete', 'account', 'deletion', deletionPage]],
}
