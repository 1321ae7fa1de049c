//! Values in VTK legacy files: scalars, vectors and fields of points, of cells or of the whole
//! file.

use crate::Error;
use crate::error::format;
use crate::file::array::{Array, Number};
use crate::file::arrays::shown;
use crate::file::cursor::Mode;
use crate::file::legacy::{Legacy, number_of};

impl Legacy<'_> {
    /// Reads the values that a keyword introduces.
    pub(crate) fn values(&mut self, word: &str) -> Result<(), Error> {
        match word {
            "POINT_DATA" | "CELL_DATA" => {
                self.in_cells = Some(word == "CELL_DATA");
                self.tuples = self.count()?;
                Ok(())
            }
            "SCALARS" => self.scalars(),
            "VECTORS" | "NORMALS" => self.attribute(3),
            "TENSORS" => self.attribute(9),
            "TENSORS6" => self.attribute(6),
            "GLOBAL_IDS" | "PEDIGREE_IDS" => self.attribute(1),
            "TEXTURE_COORDINATES" => {
                let name = self.name()?;
                let components = self.count()?;
                let number = self.number()?;
                self.array(name, components, self.tuples, number)
            }
            "COLOR_SCALARS" => {
                let name = self.name()?;
                let components = self.count()?;
                self.cursor.end_line();
                // Fractions in text files, bytes in binary files.
                self.array(name, components, self.tuples, Number::U8)
            }
            "LOOKUP_TABLE" => {
                self.cursor.expect("the name of a table")?;
                let colours = self.count()?.saturating_mul(4);
                self.cursor.end_line();
                self.cursor
                    .numbers(colours, Number::U8, "a colour")
                    .map(drop)
            }
            "FIELD" => self.field(),
            "METADATA" => {
                self.cursor.end_line();
                self.cursor.skip_to("");
                Ok(())
            }
            other => {
                let shown = shown(other);
                Err(format(format!(
                    "has the unknown keyword {shown:?}; it is damaged"
                )))
            }
        }
    }

    /// Reads `SCALARS name type [components]`, optionally followed by `LOOKUP_TABLE name`.
    fn scalars(&mut self) -> Result<(), Error> {
        let name = self.name()?;
        let line = self.cursor.line().unwrap_or_default();
        let mut words = line.split_whitespace();
        let number = number_of(words.next().unwrap_or_default())?;
        let components = words.next().map_or(Ok(1), str::parse);
        let components =
            components.map_err(|_| format(format!("{name}: components are not a number")))?;
        if self
            .cursor
            .peek()
            .is_some_and(|word| word.eq_ignore_ascii_case("LOOKUP_TABLE"))
        {
            self.cursor.word();
            self.cursor.end_line();
        }
        self.array(name, components, self.tuples, number)
    }

    /// Reads `KEYWORD name type`.
    fn attribute(&mut self, components: usize) -> Result<(), Error> {
        let name = self.name()?;
        let number = self.number()?;
        self.array(name, components, self.tuples, number)
    }

    /// Reads `FIELD name arrays`, then `name components tuples type` of each array.
    fn field(&mut self) -> Result<(), Error> {
        self.cursor.expect("the name of a field")?;
        for _ in 0..self.count()? {
            while self.cursor.peek() == Some("METADATA") {
                self.cursor.end_line();
                self.cursor.skip_to("");
            }
            let name = self.name()?;
            let (components, tuples) = (self.count()?, self.count()?);
            if self.cursor.peek() == Some("string") {
                self.skip_text(components.saturating_mul(tuples))?;
                continue;
            }
            let number = self.number()?;
            self.array(name, components, tuples, number)?;
        }
        Ok(())
    }

    fn skip_text(&mut self, lines: usize) -> Result<(), Error> {
        if self.cursor.mode != Mode::Ascii {
            return Err(format(
                "has binary text, which is not supported; export it as .vtu",
            ));
        }
        self.cursor.end_line();
        for _ in 0..lines {
            let line = self.cursor.line();
            line.ok_or_else(|| format("ends within a field of text; it is cut short"))?;
        }
        Ok(())
    }

    fn array(
        &mut self,
        name: String,
        components: usize,
        tuples: usize,
        number: Number,
    ) -> Result<(), Error> {
        let count = components.saturating_mul(tuples);
        let values = self.cursor.numbers(count, number, &name)?;
        let array = Array {
            name,
            components,
            values,
        };
        match self.in_cells {
            None => self.raw.parameters.push(array),
            Some(false) => self.raw.fields.push(array),
            Some(true) => self.raw.leave_cell_data(&array.name),
        }
        Ok(())
    }

    /// A name, in which VTK encodes white space and other characters as in %20.
    fn name(&mut self) -> Result<String, Error> {
        let word = self.cursor.expect("a name")?;
        let mut bytes = Vec::with_capacity(word.len());
        let mut rest = word.as_bytes();
        while let Some((&first, after)) = rest.split_first() {
            let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
            match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                Some(byte) if first == b'%' => {
                    bytes.push(byte);
                    rest = &after[2..];
                }
                _ => {
                    bytes.push(first);
                    rest = after;
                }
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
