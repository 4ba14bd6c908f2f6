import { TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { inShortDollars, parseDollars } from '../words/money.ts'

const EXAMPLE = 'Dollars, such as 2.50'

interface DollarInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What it holds, in micro-dollars. */
  readonly micros: number | undefined
  /** Told when it is left; undefined for an empty one. */
  readonly onChange: (micros: number | undefined) => void
}

/** Takes an amount in dollars, to the micro-dollar; what is no amount is said, and changes nothing. */
export function DollarInput({ micros, onChange, ...props }: DollarInputProps) {
  const [text, setText] = useState(() => textOf(micros))
  const isWrong = text.trim() !== '' && parseDollars(text) === undefined
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setText(textOf(micros)), [micros])
  // A form with it is not sent while it says what is no amount.
  useEffect(() => input.current?.setCustomValidity(isWrong ? EXAMPLE : ''), [isWrong])
  const commit = () => {
    if (isWrong) return
    const value = parseDollars(text)
    if (value !== micros) onChange(value)
  }
  return (
    <TextInput
      {...props}
      ref={input}
      inputMode="decimal"
      leftSection="$"
      value={text}
      error={isWrong ? EXAMPLE : undefined}
      onChange={({ currentTarget: { value } }) => setText(value)}
      onBlur={commit}
      onKeyDown={({ key }) => key === 'Enter' && commit()}
    />
  )
}

function textOf(micros: number | undefined): string {
  return micros === undefined ? '' : inShortDollars(micros).replace('$', '')
}
