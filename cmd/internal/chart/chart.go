// SPDX-License-Identifier: Apache-2.0

// Package chart draws small charts as SVG text: groups of bars, and points in a plane.
// The same chart gives the same bytes on every machine. A chart has no script and no
// outside reference; fonts are the reader's.
package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
)

// palette: Okabe and Ito's colours, which the colour-blind can tell apart.
var palette = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#787878"}

// Colour gives the colour of the series with a number, from zero on; they repeat.
func Colour(series int) string { return palette[series%len(palette)] }

// The sizes in pixels.
const (
	fontSize  = 12
	charWidth = 6.6 // of a mean letter at that size
	tickSpace = 45  // between ticks, at least
)

// canvas is an SVG text in the making; the first error of the writer stays.
type canvas struct {
	w   io.Writer
	err error
}

func (c *canvas) printf(format string, arguments ...any) {
	if c.err == nil {
		_, c.err = fmt.Fprintf(c.w, format, arguments...)
	}
}

func (c *canvas) begin(width, height float64) {
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="sans-serif" font-size="%d">`+"\n",
		number(width), number(height), number(width), number(height), fontSize)
	c.printf(`<rect width="%s" height="%s" fill="#ffffff"/>`+"\n", number(width), number(height))
}

func (c *canvas) end() error {
	c.printf("</svg>\n")
	return c.err
}

// text writes a text with its anchor ("start", "middle", "end") at a place, turned
// clockwise by degrees.
func (c *canvas) text(x, y float64, anchor string, degrees float64, text string) {
	turn := ""
	if degrees != 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`, number(degrees), number(x), number(y))
	}
	c.printf(`<text x="%s" y="%s" text-anchor="%s"%s>%s</text>`+"\n", number(x), number(y), anchor, turn, html.EscapeString(text))
}

func (c *canvas) line(x1, y1, x2, y2 float64, colour string) {
	c.printf(`<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s"/>`+"\n", number(x1), number(y1), number(x2), number(y2), colour)
}

func (c *canvas) rect(x, y, width, height float64, colour string) {
	c.printf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n", number(x), number(y), number(width), number(height), colour)
}

// number writes a coordinate with two digits, without those that are zero.
func number(x float64) string {
	return strconv.FormatFloat(float64(math.Round(float64(x*100)))/100, 'f', -1, 64)
}

// textWidth estimates the width of a text.
func textWidth(text string) float64 {
	letters := 0
	for range text {
		letters++
	}
	return float64(float64(letters) * charWidth)
}
