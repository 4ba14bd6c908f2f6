import { SegmentedControl, useMantineColorScheme } from '@mantine/core'

const schemes = [
  { value: 'auto', label: 'Auto' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

/** Light, dark, or what the machine says. */
export function SchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Colours"
      value={colorScheme}
      data={[...schemes]}
      onChange={(value) => setColorScheme(value as 'auto')}
    />
  )
}
