import type { Feature } from '../../page-kit/feature.ts'
import { accountPage } from './account-page.ts'
import { exportPage } from './export-page.ts'
import { namePage } from './name-page.ts'
import { profileSchema } from './profile-schema.ts'

export const profile: Feature = {
  schemas: [profileSchema],
  pages: [
    ['/account', 'account', null, accountPage],
    ['/account/name', 'account', null, namePage],
    ['/account/export', 'account', null, exportPage],
  ],
}
