import type { Feature } from '../../page-kit/feature.ts'
import { impersonationEnd } from './impersonation-end.ts'
import { impersonationSchema } from './impersonation-schema.ts'

export const impersonation: Feature = {
  schemas: [impersonationSchema],
  pages: [['/impersonation/end', 'account', 'impersonation', impersonationEnd]],
}
