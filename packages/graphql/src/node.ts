export { toUpgradeListener, type UpgradeListener } from './subscriptions/sockets/to-upgrade-listener.ts'
