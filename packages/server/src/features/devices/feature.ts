import type { Feature } from '../../page-kit/feature.ts'
import { devicesPage, endingOfAllOthers, endingOfOne } from './devices-page.ts'
import { devicesSchema } from './devices-schema.ts'

export const devices: Feature = {
  schemas: [devicesSchema],
  pages: [
    ['/devices', 'account', null, devicesPage],
    ['/devices/end', 'account', null, endingOfOne],
    ['/devices/end-others', 'account', null, endingOfAllOthers],
  ],
}
