import type { Feature } from '../../page-kit/feature.ts'
import { administrationSchema } from './administration-schema.ts'
import { auditSchema } from './audit-schema.ts'

export const administration: Feature = {
  schemas: [administrationSchema, auditSchema],
}
