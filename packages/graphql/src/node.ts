export { toUpgradeListener, type UpgradeListener, type UpgradeListenerOptions } from './to-upgrade-listener.ts'
