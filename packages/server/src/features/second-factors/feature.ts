import type { Feature } from '../../page-kit/feature.ts'
import { recoveryCodesPage } from './recovery-codes-page.ts'
import { secondFactorsSchema } from './second-factors-schema.ts'
import { totpConfirmation, totpStart } from './totp-enrollment.ts'
import { totpPage, totpRemoval } from './totp-page.ts'

export const secondFactors: Feature = {
  schemas: [secondFactorsSchema],
  pages: [
    ['/account/totp', 'account', 'totp', totpPage],
    ['/account/totp/start', 'account', 'totp', totpStart],
    ['/account/totp/confirm', 'account', 'totp', totpConfirmation],
    ['/account/totp/remove', 'account', 'totp', totpRemoval],
    ['/account/recovery-codes', 'account', null, recoveryCodesPage],
  ],
}
